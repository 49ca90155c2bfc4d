import type { Failure } from '../../http/failure.ts'

export function toOpenWopError({ status, code, message, details }: Failure) {
  return { status, body: { error: code, message, details } }
}
