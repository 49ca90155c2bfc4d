import { z } from 'zod'

/** The one memoryRef a connection is bound to; null when each call names one. */
export type Bound = { readonly ref: string | null }

/** The other name of a person's memory. */
const subjectPrefix = 'subject:'

export function toBound({ ref, subject }: { ref?: string | undefined; subject?: string | undefined }): Bound {
  return { ref: subject === undefined ? (ref ?? null) : subjectPrefix + subject }
}

/** Whom a ref is about; null when it is not about a person. */
export function subjectOf(ref: string): string | null {
  return ref.startsWith(subjectPrefix) ? ref.slice(subjectPrefix.length) : null
}

const refInput = z
  .string()
  .describe('The memoryRef to use, such as "agents/concierge"; "subject:ada" is what is known about the person ada')

type WithRef<Shape> = z.ZodObject<Shape & { ref: z.ZodOptional<z.ZodString> }>

/** A bound connection has no argument for the ref at all: a model cannot be talked into another one. */
export function inputOf<Shape extends z.ZodRawShape>(bound: Bound, shape: Shape): WithRef<Shape> {
  return (bound.ref === null ? z.strictObject({ ref: refInput, ...shape }) : z.strictObject(shape)) as never
}

export function refFor(bound: Bound, args: { readonly ref?: string | undefined }): string {
  return bound.ref ?? args.ref ?? ''
}
