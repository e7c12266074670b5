/** Settings of one nats-server that we run. */
export interface ServerSettings {
  /** Address to listen on. */
  readonly host: string
  /** Port to listen on; 0 lets the server choose a free one. */
  readonly port: number
  /** Name the server gives itself. */
  readonly serverName: string
  /** Folder for configuration, log, pid and ports file. */
  readonly folder: string
  /** The folder in which the server makes its folder `jetstream`, or undefined for a server without JetStream. */
  readonly storeDir: string | undefined
  /** JetStream's `max_file_store` in bytes; undefined: the server's own default. */
  readonly storeBytesMax: number | undefined
  /** JetStream's `sync_interval`: `always`, or a duration such as `2m`. */
  readonly syncInterval: string
  /** Largest message the server accepts, in bytes. */
  readonly maxPayloadBytes: number
  /** More lines in nats-server's own configuration language. */
  readonly extraConfig: string
}

/** The configuration file for `settings`. */
export const serverConfig = (settings: ServerSettings): string => {
  const text = JSON.stringify
  const lines = [
    `server_name: ${text(settings.serverName)}`,
    `host: ${text(settings.host)}`,
    `port: ${settings.port === 0 ? -1 : settings.port}`,
    `max_payload: ${settings.maxPayloadBytes}`,
    `pid_file: ${text(`${settings.folder}/nats.pid`)}`,
    `ports_file_dir: ${text(settings.folder)}`,
    `log_file: ${text(`${settings.folder}/nats.log`)}`,
    'logfile_size_limit: 16MB',
    'logfile_max_num: 3',
  ]
  if (settings.storeDir !== undefined) {
    const limit = settings.storeBytesMax === undefined ? '' : `, max_file_store: ${settings.storeBytesMax}`
    lines.push(
      `jetstream { store_dir: ${text(settings.storeDir)}, sync_interval: ${text(settings.syncInterval)}${limit} }`,
    )
  }
  if (settings.extraConfig !== '') lines.push(settings.extraConfig)
  return `${lines.join('\n')}\n`
}
