/** Documents whose programs import the packages: they are followed where these are installed, in this order. */
export const packaged: ReadonlyArray<string> = [
  'libs/client/README.md',
  'libs/worker/README.md',
  'docs/client.md',
  'docs/sending.md',
  'docs/consuming.md',
]
