/** Variables of the environment that hold secrets. */
const secrets = ['KIROKU_TOKENS', 'KIROKU_NATS_PASSWORD', 'KIROKU_NATS_TOKEN'] as const

/** Takes secrets out of the environment once they are read, so that no child of this process inherits them. */
export const forgetSecrets = (env: NodeJS.ProcessEnv = process.env): void => {
  for (const name of secrets) delete env[name]
}
