import { isXmlText } from '@kiroku/doors'
import { XMLParser } from 'fast-xml-parser'

/** A message as the Query protocol tells it. */
export interface QueryMessage {
  readonly MessageId: string
  readonly ReceiptHandle: string
  readonly Body: string
  readonly Attribute?: readonly { readonly Name: string; readonly Value: string }[]
  readonly MessageAttribute?: readonly {
    readonly Name: string
    readonly Value: {
      readonly DataType: string
      readonly StringValue?: string
      readonly BinaryValue?: string
    }
  }[]
}

const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (name) => ['Message', 'Attribute', 'MessageAttribute'].includes(name),
})

/** Receives by the Query protocol, with all attributes; throws for what no parser of XML would read. */
export const receiveByQuery = async (queueUrl: string, more = ''): Promise<readonly QueryMessage[]> => {
  const names = 'AttributeName.1=All&MessageAttributeName.1=All&MaxNumberOfMessages=10'
  const answer = await fetch(queueUrl, {
    method: 'POST',
    body: new URLSearchParams(`Action=ReceiveMessage&${names}&${more}`),
  })
  const xml = await answer.text()
  if (answer.status !== 200 || !isXmlText(xml)) throw new Error(`${answer.status}: ${xml}`)
  const { ReceiveMessageResponse: response } = parser.parse(xml, true) as {
    readonly ReceiveMessageResponse: {
      readonly ReceiveMessageResult: { readonly Message?: readonly QueryMessage[] }
    }
  }
  return response.ReceiveMessageResult.Message ?? []
}
