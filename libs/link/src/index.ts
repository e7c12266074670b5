/**
 * The direct way from a client to the owners on its machine: the commands that NATS carries too, over a Unix-domain
 * socket in a node's data folder. Owns the socket, its frames and greetings, and when a link is tried. Knows nothing of what
 * commands do, and is never the only way; talks to `@kiroku/nats` for the encoding of commands and for the news of links.
 */
export { LinkServer, type LinkService } from './LinkServer.ts'
export { Links } from './Links.ts'
