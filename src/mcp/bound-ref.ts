import { z } from 'zod'

/** The memoryRef that a connection is bound to; null if each tool call names one. `readers` may read what its tools store. */
export type BoundRef = { readonly ref: string | null; readonly readers?: readonly string[] }

/** The memoryRef of a person's memory is this prefix and the person's id. */
const subjectPrefix = 'subject:'

type BoundQuery = { ref?: string | undefined; subject?: string | undefined; readers?: string | undefined }

/** The bound ref of the query parameters `ref` and `subject`, and `readers`, separated by commas. */
export function toBoundRef({ ref, subject, readers }: BoundQuery): BoundRef {
  const bound = subject === undefined ? (ref ?? null) : refOfSubject(subject)
  return { ref: bound, ...(readers === undefined ? {} : { readers: readers.split(',').filter(Boolean) }) }
}

export function refOfSubject(subject: string): string {
  return subjectPrefix + subject
}

const refInput = z
  .string()
  .min(1, 'must not be empty')
  .describe('The memoryRef to use, such as "agents/concierge"; "subject:ada" is the memory about the person ada')

type WithRef<Shape> = z.ZodObject<Shape & { ref: z.ZodOptional<z.ZodString> }>

/** A bound connection has no argument for the ref, so a prompt injection cannot make the model use another ref. */
export function inputOf<Shape extends z.ZodRawShape>(bound: BoundRef, shape: Shape): WithRef<Shape> {
  return (bound.ref === null ? z.strictObject({ ref: refInput, ...shape }) : z.strictObject(shape)) as never
}

export function refFor(bound: BoundRef, args: { readonly ref?: string | undefined }): string {
  return bound.ref ?? args.ref ?? ''
}
