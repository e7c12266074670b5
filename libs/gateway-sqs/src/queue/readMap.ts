import { invalid } from '../SqsError.ts'

/** The members of an attribute whose value is a map in JSON. `what` begins the reason. Errors: `InvalidParameterValue`. */
export const readMap = (attribute: string, what: string, text: string): Readonly<Record<string, unknown>> => {
  try {
    return (JSON.parse(text) as Readonly<Record<string, unknown>> | null) ?? {}
  } catch {
    throw invalid(attribute, text, `${what} is not a valid JSON map.`)
  }
}
