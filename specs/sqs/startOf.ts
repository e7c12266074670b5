import { readFileSync } from 'node:fs'

const page = readFileSync(new URL('../../docs/sqs.md', import.meta.url), 'utf8')

/** The client whose start is meant, as the page names it. */
type Client = 'the AWS SDK' | 'sqs-consumer and sqs-producer' | 'boto3' | 'celery' | 'awscli'

/** Takes the place of the door that the page names. */
const at = (text: string, url: string): string => text.replaceAll('127.0.0.1:9324', new URL(url).host)

/** How a program with a client begins, literally as docs/sqs.md says, at the door of a test. */
export const startOf = (client: Client, url: string): string => {
  const [, start] =
    new RegExp(
      `<!-- not run: it needs ${client}; the specs run it -->\\n+\`\`\`\\w+\\n(.*?)\`\`\``,
      's',
    ).exec(page) ?? []
  if (start === undefined) throw new Error(`docs/sqs.md has no start of ${client}`)
  return at(start, url)
}

/** The commands with curl that the page begins with. */
export const curlStart = (url: string): string =>
  at(
    page
      .split('\n')
      .filter((line) => line.startsWith('curl -s '))
      .join('\n'),
    url,
  )
