import type { Body } from './Body.ts'

/**
 * A value of type T, if JSON can hold it: interfaces and type aliases by their properties, a Date as its ISO
 * text, and what has `toJSON`. Not functions, symbols and bigints, and `undefined` only as an omitted
 * property.
 */
export type Sendable<T> = unknown extends T
  ? T
  : T extends Body | { toJSON(...args: never[]): unknown }
    ? T
    : T extends undefined | symbol | bigint | ((...args: never[]) => unknown)
      ? never
      : { readonly [K in keyof T]: SendableProperty<T[K]> }

type SendableProperty<T> = T extends undefined ? undefined : Sendable<T>
