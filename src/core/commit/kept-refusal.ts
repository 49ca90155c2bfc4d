import { ColophonError, type ErrorCode, type ErrorDetails } from '../errors.ts'

/** A refusal that an idempotency key remembers: an error, which never has content. */
export type KeptRefusal = { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }

export function toKeptRefusal({ code, message, details }: ColophonError): KeptRefusal {
  return { code, message, details }
}

/** The refusal of an earlier call with the same idempotency key. It is repeated even if the call could succeed now. */
export class RepeatedRefusal extends ColophonError {
  readonly isRepeated = true

  constructor({ code, message, details }: KeptRefusal) {
    super(code, message, { details })
  }
}

export function isRepeatedRefusal(error: unknown): boolean {
  return (error as Partial<RepeatedRefusal> | null)?.isRepeated === true
}
