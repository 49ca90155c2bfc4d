import type { z } from 'zod'

type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: ReadonlyDeep<T[Member]> }
    : T

/** The body or query of a request. */
export type Sent<Schema extends z.ZodType> = ReadonlyDeep<z.input<Schema>>

/** The body of a response. */
export type Got<Schema extends z.ZodType> = z.output<Schema>
