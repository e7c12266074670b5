/** Where tokens travel: messages per second, and length in px. */
export interface TokenWay {
  readonly key: string
  readonly perSecond: number
  readonly lengthPx: number
}

/** A token on its way. */
export interface Token {
  readonly key: string
  px: number
}

/** How many tokens there are at most. */
export const tokensMax = 60
/** Speed of a token, in px per second. */
const speedPxPerS = 170

/** 1, 2, 5, 10, 20, 50 …: the first that is not below a number. */
const roundUp = (n: number): number => {
  if (n <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(n))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= n)!
}

/**
 * How many messages a token represents, so that there are at most `tokensMax` of them. It stays as `before`
 * while that fits: the meaning of a token should not keep changing.
 */
export const messagesPerToken = (ways: readonly TokenWay[], before: number): number => {
  const onTheWay = ways.reduce(
    (sum, { perSecond, lengthPx }) => sum + (perSecond * lengthPx) / speedPxPerS,
    0,
  )
  const needed = roundUp(onTheWay / tokensMax)
  return needed > before || needed * 4 < before ? needed : before
}

/** Samples of what flows: tokens that set out in proportion to the rate of their edge. */
export class TokenFlow {
  #tokens: Token[] = []
  readonly #due = new Map<string, number>()

  /** Those on their way. */
  get tokens(): readonly Token[] {
    return this.#tokens
  }

  /** Lets `seconds` pass. */
  step(seconds: number, ways: readonly TokenWay[], messages: number): void {
    const lengths = new Map(ways.map(({ key, lengthPx }) => [key, lengthPx]))
    for (const token of this.#tokens) token.px += seconds * speedPxPerS
    this.#tokens = this.#tokens.filter(({ key, px }) => px < (lengths.get(key) ?? 0))
    for (const { key, perSecond } of ways) {
      let due = (this.#due.get(key) ?? 0.5) + (perSecond / messages) * seconds
      for (; due >= 1 && this.#tokens.length < tokensMax; due--) this.#tokens.push({ key, px: 0 })
      this.#due.set(key, Math.min(due, 1))
    }
  }
}
