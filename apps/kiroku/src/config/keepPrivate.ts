/** Variables of the environment that hold secrets. */
const secrets = ['KIROKU_TOKENS', 'KIROKU_NATS_PASSWORD', 'KIROKU_NATS_TOKEN'] as const

/**
 * What this process and its children write is for its user alone, and secrets, once they are read, leave the environment, so
 * that no child inherits them.
 */
export const keepPrivate = (env: NodeJS.ProcessEnv = process.env): void => {
  process.umask(0o077)
  for (const name of secrets) delete env[name]
}
