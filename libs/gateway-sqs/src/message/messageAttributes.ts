import { createHash } from 'node:crypto'
import { asXmlText, isXmlText } from '@kiroku/doors'
import { SqsError } from '../SqsError.ts'
import { isBase64 } from '../wire/readJson.ts'
import { checkCharacters } from './checkBody.ts'

/** An attribute as the wire has it. */
export interface AttributeValue {
  readonly DataType?: string
  readonly StringValue?: string
  readonly BinaryValue?: Uint8Array
}

type Values = ReadonlyMap<string, AttributeValue>

const attributesMax = 10
const nameCharactersMax = 256

/** Attributes as they are stored: text, and beside it the types of those that are not plain. */
export interface StoredAttributes {
  readonly attributes?: Readonly<Record<string, string>>
  readonly attributeTypes?: Readonly<Record<string, string>>
}

/** What these attributes are stored as. Errors: `InvalidParameterValue`. */
export const storedAttributes = (values: Values | undefined): StoredAttributes => {
  if (values === undefined || values.size === 0) return {}
  if (values.size > attributesMax)
    throw wrong(
      `Number of message attributes [${values.size}] exceeds the allowed maximum [${attributesMax}].`,
    )
  const attributes: Record<string, string> = {}
  const attributeTypes: Record<string, string> = {}
  for (const [name, value] of values) {
    checkName(name)
    const type = value.DataType ?? ''
    const base = type.split('.')[0]
    if (base !== 'String' && base !== 'Number' && base !== 'Binary')
      throw wrong(
        `The type of message (user) attribute '${name}' is invalid. You must use only the following supported type prefixes: Binary, Number, String.`,
      )
    attributes[name] = base === 'Binary' ? binaryOf(name, value) : textOf(name, base, value)
    if (type !== 'String') attributeTypes[name] = type
  }
  return { attributes, ...(Object.keys(attributeTypes).length === 0 ? {} : { attributeTypes }) }
}

const checkName = (name: string): void => {
  const isReserved = /^(aws|amazon)\./i.test(name)
  if (
    name.length > nameCharactersMax ||
    isReserved ||
    !/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(name) ||
    name === '__proto__'
  )
    throw wrong(
      `The message attribute name '${name.slice(0, nameCharactersMax)}' is invalid. Attribute name can contain A-Z, a-z, 0-9, underscore (_), hyphen (-), and period (.) characters.`,
    )
}

const binaryOf = (name: string, { BinaryValue: value }: AttributeValue): string => {
  if (value === undefined || value.length === 0) throw empty(name, 'Binary')
  return Buffer.from(value).toString('base64')
}

const textOf = (name: string, base: string, { StringValue: value }: AttributeValue): string => {
  if (value === undefined || value === '') throw empty(name, base)
  checkCharacters(value)
  if (base === 'Number' && !Number.isFinite(Number(value)))
    throw wrong(`Can't cast the value of message (user) attribute '${name}' to a number.`)
  return value
}

const empty = (name: string, base: string): SqsError =>
  wrong(
    `The message attribute '${name}' must contain non-empty message attribute value for message attribute type '${base}'.`,
  )

const wrong = (message: string): SqsError => new SqsError('InvalidParameterValue', message)

/** Of a text that SQS cannot hold: its UTF-8. */
const unsayableType = 'Binary.text'

/** The stored attributes that are asked for, as the wire has them: `All`, `.*`, names, and prefixes that end with `.*`. */
export const attributeValues = (
  { attributes = {}, attributeTypes = {} }: StoredAttributes,
  wanted: readonly string[],
): Map<string, AttributeValue> => {
  if (wanted.length === 0) return new Map()
  const isWanted = (name: string): boolean =>
    wanted.some(
      (each) =>
        each === 'All' ||
        each === name ||
        (each.endsWith('.*') && (each === '.*' || name.startsWith(each.slice(0, -1)))),
    )
  const told = toldNames(Object.keys(attributes))
  return new Map(
    Object.entries(attributes).flatMap(([name, value]) => {
      const as = told?.get(name) ?? name
      return isWanted(as) ? [[as, valueOf(value, attributeTypes[name])] as const] : []
    }),
  )
}

/** Names by which attributes are told that XML cannot hold: no two of them are the same, nor as another one's. undefined: there are none. */
const toldNames = (names: readonly string[]): ReadonlyMap<string, string> | undefined => {
  if (names.every(isXmlText)) return undefined
  const taken = new Set(names.filter(isXmlText))
  const told = new Map<string, string>()
  for (const name of names) {
    if (isXmlText(name)) continue
    const base = asXmlText(name)
    let free = base
    for (let n = 2; taken.has(free); n++) free = `${base}.${n}`
    taken.add(free)
    told.set(name, free)
  }
  return told
}

/** An attribute as the wire has it, whatever its sender called its type. */
const valueOf = (value: string, type = 'String'): AttributeValue => {
  if (/^Binary(\.|$)/.test(type) && isBase64(value) && isXmlText(type))
    return { BinaryValue: Buffer.from(value, 'base64'), DataType: type }
  if (!isXmlText(value)) return { BinaryValue: Buffer.from(value), DataType: unsayableType }
  const isKnown = /^(String|Number)(\.|$)/.test(type) && isXmlText(type)
  return { StringValue: value, DataType: isKnown ? type : 'String' }
}

/** Bytes of names, types and values, which count towards the size of a message. */
export const attributeBytes = (values: Values | undefined): number => {
  let bytes = 0
  for (const [name, { DataType = '', StringValue, BinaryValue }] of values ?? [])
    bytes +=
      Buffer.byteLength(name) +
      Buffer.byteLength(DataType) +
      (BinaryValue?.length ?? Buffer.byteLength(StringValue ?? ''))
  return bytes
}

const string = 1
const binary = 2

/** The MD5 by which clients check attributes; undefined for none. */
export const md5OfAttributes = (values: Values | undefined): string | undefined => {
  if (values === undefined || values.size === 0) return undefined
  const hash = createHash('md5')
  const part = (bytes: Uint8Array): void => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    hash.update(length).update(bytes)
  }
  for (const [name, { DataType = '', StringValue, BinaryValue }] of [...values].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    part(Buffer.from(name))
    part(Buffer.from(DataType))
    hash.update(Buffer.of(BinaryValue === undefined ? string : binary))
    part(BinaryValue ?? Buffer.from(StringValue ?? ''))
  }
  return hash.digest('hex')
}
