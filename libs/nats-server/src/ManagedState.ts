import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LaunchFailure } from './launch.ts'

/** What an engine asks of the keeper it starts. Paths are absolute and real. */
export interface KeeperSpec {
  readonly folder: string
  readonly binary: string
  readonly version: string
  readonly host: string
  readonly port: number
  /** Where `port` is 0: taken if it is free and the folder had no other one before. */
  readonly portPreferred?: number
  readonly syncInterval: string
  readonly maxPayloadBytes: number
  readonly graceMs: number
}

/** The managed server as it runs now. */
export interface RunningServer {
  readonly pid: number
  readonly host: string
  readonly port: number
  readonly version: string
  readonly syncInterval: string
  readonly maxPayloadBytes: number
  /** JetStream's `max_file_store` in bytes; absent: it was started without one. */
  readonly storeBytesMax?: number
  /** Only users with a key may enter; absent: a keeper of an earlier version started it, open to everybody. */
  readonly isClosed?: true
  /** The keeper found it running, left behind by a keeper that was killed. */
  readonly orphan: boolean
}

/** What the keeper of a folder writes down, for engines that come later and for the keeper after it. */
export interface ManagedState {
  /** The folder it was written for: a copied or moved folder carries a state that is not its own. */
  readonly folder: string
  readonly keeperPid: number
  /** Path of the unix socket on which engines hold their leases. */
  readonly socket: string
  /** Absent while the server starts. */
  readonly server: RunningServer | undefined
}

/** What the keeper tells an engine, one JSON line each. */
export type KeeperMessage =
  | { readonly type: 'running'; readonly keeperPid: number; readonly server: RunningServer }
  | { readonly type: 'failed'; readonly failure: LaunchFailure }

/** The folder inside `dataDir` that the managed server and its keeper own. */
export const managedFolderOf = (dataDir: string): string => join(dataDir, 'nats')

/** Where the keeper listens, unless that path is too long for a socket. */
export const usualSocketOf = (folder: string): string => join(folder, 'keeper.sock')

const stateFileOf = (folder: string): string => join(folder, 'keeper.json')

/** The state last written for `folder`, or undefined where there is none. */
export const readState = (folder: string): ManagedState | undefined => {
  try {
    const state = JSON.parse(readFileSync(stateFileOf(folder), 'utf8')) as ManagedState
    return state.folder === folder ? state : undefined
  } catch {
    return undefined
  }
}

/** Replaces the state in one step. */
export const writeState = (state: ManagedState): void => {
  const file = stateFileOf(state.folder)
  writeFileSync(`${file}.new`, JSON.stringify(state))
  renameSync(`${file}.new`, file)
}

const lastPortFileOf = (folder: string): string => join(folder, 'last-port')

/** The port that the folder's server had last; 0 where there was none. */
export const readLastPort = (folder: string): number => {
  try {
    const port = Number(readFileSync(lastPortFileOf(folder), 'utf8'))
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0
  } catch {
    return 0
  }
}

/** Remembers the port beyond the server's end; a disk that does not take it costs nothing but the memory. */
export const writeLastPort = (folder: string, port: number): void => {
  try {
    writeFileSync(lastPortFileOf(folder), String(port))
  } catch {
    return
  }
}
