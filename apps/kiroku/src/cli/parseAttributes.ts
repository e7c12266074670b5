import { KirokuError } from '@kiroku/protocol'

/** Reads `K=V,…`. Errors: `InvalidArgument`. */
export const parseAttributes = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new KirokuError('InvalidArgument', `--attributes: "${pair}" is not KEY=VALUE`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
