/** A set of message numbers, kept as spans: small while they come nearly in order. */
export class NumberSet {
  /** Alternating beginnings and ends (not included), in order, with gaps between spans. */
  #edges: number[] = []

  /** Adds `count` numbers from `first` on; false when the set has one of them already. */
  add(first: number, count: number): boolean {
    const edges = this.#edges
    const end = first + count
    let at = edges.length
    while (at > 0 && edges[at - 2]! > first) at -= 2
    if ((at > 0 && edges[at - 1]! > first) || (at < edges.length && edges[at]! < end)) return false
    const joinsBefore = at > 0 && edges[at - 1] === first
    const joinsBehind = at < edges.length && edges[at] === end
    if (joinsBefore && joinsBehind) edges.splice(at - 1, 2)
    else if (joinsBefore) edges[at - 1] = end
    else if (joinsBehind) edges[at] = first
    else edges.splice(at, 0, first, end)
    return true
  }
}
