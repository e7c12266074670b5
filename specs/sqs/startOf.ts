import { readFileSync } from 'node:fs'

const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The client whose start is meant, as the page names it. */
type Client = '@aws-sdk/client-sqs' | 'sqs-consumer and sqs-producer' | 'boto3' | 'celery' | 'awscli'

/** Takes the place of the door that the page names. */
const at = (text: string, url: string): string => text.replaceAll('127.0.0.1:9324', new URL(url).host)

/** How a program with a client begins, literally as README.md says, at the door of a test. */
export const startOf = (client: Client, url: string): string => {
  // A block with nothing but comments between it and the client's name.
  const after = `<summary>${client}</summary>\\n+(?:<!-- [^\\n]+ -->\\n+)*`
  const [, start] = new RegExp(`${after}\`\`\`\\w+\\n([^]*?)\`\`\``).exec(page) ?? []
  if (start === undefined) throw new Error(`README.md has no start of ${client}`)
  return at(start, url)
}

/** The commands with curl that it shows before them. */
export const curlStart = (url: string): string =>
  at(
    page
      .split('\n')
      .filter((line) => line.startsWith('curl -s '))
      .join('\n'),
    url,
  )
