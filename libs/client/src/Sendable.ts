import type { Body } from './Body.ts'

/**
 * A value of type T, where JSON can say it: interfaces and type aliases by their properties, a Date as its ISO text, and
 * what has `toJSON`. Functions, symbols and bigints cannot be said, nor `undefined` but as a property that is left out.
 */
export type Sendable<T> = unknown extends T
  ? T
  : T extends Body | { toJSON(...args: never[]): unknown }
    ? T
    : T extends undefined | symbol | bigint | ((...args: never[]) => unknown)
      ? never
      : { readonly [K in keyof T]: SendableProperty<T[K]> }

type SendableProperty<T> = T extends undefined ? undefined : Sendable<T>
