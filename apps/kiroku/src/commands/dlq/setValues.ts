import { KirokuError } from '@kiroku/protocol'

/** Sets values in a JSON body: `customer.id=42,lines.0.sku=a7`. Errors: `InvalidArgument`. */
export const setValues = (body: Uint8Array, changes: string): Uint8Array => {
  let root: unknown
  try {
    root = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new KirokuError('InvalidArgument', '--set: the body is not JSON; give a whole one with --body')
  }
  // A comma begins the next change only where one follows.
  for (const change of changes.split(/,(?=[\w$.-]+=)/)) {
    const at = change.indexOf('=')
    if (at < 1) throw new KirokuError('InvalidArgument', `--set: "${change}" is not PATH=VALUE`)
    root = withValue(root, change.slice(0, at).split('.'), valueOf(change.slice(at + 1)), change)
  }
  return new TextEncoder().encode(JSON.stringify(root))
}

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const withValue = (
  into: unknown,
  [name, ...rest]: readonly string[],
  value: unknown,
  change: string,
): unknown => {
  if (name === undefined) return value
  if (Array.isArray(into)) {
    const place = Number(name)
    if (!/^\d+$/.test(name) || place > into.length)
      throw new KirokuError(
        'InvalidArgument',
        `--set: "${change}" is not an index of a list of ${into.length}`,
      )
    const list = [...(into as unknown[])]
    list[place] = withValue(list[place], rest, value, change)
    return list
  }
  if (into !== undefined && (typeof into !== 'object' || into === null))
    throw new KirokuError(
      'InvalidArgument',
      `--set: "${change}" goes into ${JSON.stringify(into)}, which has no fields`,
    )
  const object = (into ?? {}) as Record<string, unknown>
  const before = Object.hasOwn(object, name) ? object[name] : undefined
  return { ...object, [name]: withValue(before, rest, value, change) }
}
