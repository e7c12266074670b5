import { expect, test } from 'vitest'
import { installCommand } from './installCommand.ts'

const debian = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n'
const mint = 'ID=linuxmint\nID_LIKE="ubuntu debian"\n'
const release = 'https://github.com/nats-io/nats-server/releases/download/v2.15.1'

test.each([
  ['darwin', 'arm64', '', 'brew install nats-server'],
  ['win32', 'x64', '', 'winget install NATSAuthors.NATSServer'],
  ['linux', 'x64', 'ID=alpine\n', 'sudo apk add nats-server'],
  ['linux', 'x64', 'ID="arch"\n', 'sudo pacman -S nats-server'],
  [
    'linux',
    'x64',
    debian,
    `curl -fLO ${release}/nats-server-v2.15.1-amd64.deb && sudo apt install ./nats-server-v2.15.1-amd64.deb`,
  ],
  [
    'linux',
    'arm64',
    mint,
    `curl -fLO ${release}/nats-server-v2.15.1-arm64.deb && sudo apt install ./nats-server-v2.15.1-arm64.deb`,
  ],
  ['linux', 'x64', 'ID=fedora\n', `sudo dnf install ${release}/nats-server-v2.15.1-amd64.rpm`],
  ['linux', 'riscv64', debian, 'go install github.com/nats-io/nats-server/v2@v2.15.1'],
  ['freebsd', 'x64', '', 'go install github.com/nats-io/nats-server/v2@v2.15.1'],
])('on %s %s the one command fits (%j)', (platform, arch, osRelease, command) => {
  expect(installCommand({ platform, arch, osRelease }, '2.15.1')).toBe(command)
})
