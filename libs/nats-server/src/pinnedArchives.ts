/**
 * What the archives of the release that is fetched by default have to hash to (SHA-256), wherever they come from. Systems that
 * are missing here, and other releases, rely on the checksums of the release itself.
 */
export const pinnedArchives: Readonly<Record<string, string>> = {
  'nats-server-v2.15.1-linux-amd64.tar.gz':
    'bf5edc7b1ce98e885c368cb43a886eb148dc5d0551d99f3cf6141fb5e1954c70',
  'nats-server-v2.15.1-linux-arm64.tar.gz':
    'e2fbab4cad7d3c76e3052eb959570393c9d73ba756b70bf8e9eea61e9ae6d49c',
}
