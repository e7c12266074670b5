import { expect, test } from 'vitest'
import { serverConfig, type ServerSettings } from './serverConfig.ts'

const settings: ServerSettings = {
  host: '127.0.0.1',
  port: 4333,
  serverName: 'kiroku-managed',
  folder: '/data/with "quotes"/nats',
  storeDir: '/data/with "quotes"/nats',
  storeBytesMax: 1_000_000,
  syncInterval: 'always',
  maxPayloadBytes: 8_388_608,
  extraConfig: '',
}

test('the configuration listens where it is told, syncs always and takes 8 MiB', () => {
  expect(serverConfig(settings).split('\n')).toEqual([
    'server_name: "kiroku-managed"',
    'host: "127.0.0.1"',
    'port: 4333',
    'max_payload: 8388608',
    'pid_file: "/data/with \\"quotes\\"/nats/nats.pid"',
    'ports_file_dir: "/data/with \\"quotes\\"/nats"',
    'log_file: "/data/with \\"quotes\\"/nats/nats.log"',
    'logfile_size_limit: 16MB',
    'logfile_max_num: 3',
    'jetstream { store_dir: "/data/with \\"quotes\\"/nats", sync_interval: "always", max_file_store: 1000000 }',
    '',
  ])
})

test('port 0 lets the server choose one', () => {
  expect(serverConfig({ ...settings, port: 0 })).toContain('\nport: -1\n')
})

test('without a store there is no JetStream', () => {
  expect(serverConfig({ ...settings, storeDir: undefined })).not.toContain('jetstream')
})
