import { limits } from '../../core/limits.ts'
import type { Failure } from '../../http/error-response.ts'
import { WireError } from '../../http/wire-error.ts'
import { statusOf, toV2Code, type V2Code } from './codes.ts'
import { namesInV2 } from './names-in-v2.ts'

/** An error that only version 2 has. For all others throw the `ColophonError`: `codes.ts` maps it. */
export function v2Error(code: V2Code, message: string, details: Readonly<Record<string, unknown>> = {}): WireError {
  return new WireError(statusOf[code], code, message, details)
}

/** The refusal of a field, in the words of the core. */
export function invalidField(field: string, problem: string, more: Readonly<Record<string, unknown>> = {}): WireError {
  return v2Error('validation_error', `${field} ${problem}.`, { field, ...more })
}

/** The error envelope of version 2: closed, with a fixed status for each code. */
export function toV2Envelope({ code: own, message, details: given, where, unknown }: Failure) {
  const code = toV2Code(own, given)
  // Retry timing is only in the header.
  const { retryAfterMs: _inHeader, retryAfter: _inHeaderToo, hint, ...details } = given
  const named = unknown?.[0] === undefined ? null : nameMember(where ?? 'body', String(details.field), unknown[0])
  return {
    status: statusOf[code],
    body: {
      error: code,
      message: named?.message ?? message,
      details: {
        ...details,
        ...named?.details,
        ...(String(details.field).startsWith('runIds') ? { maxRunIds: limits.bulkCancelRunsMax } : {}),
        // The more exact name, where several errors have one code here.
        ...(code === own ? {} : { exactCode: own }),
        ...(typeof hint === 'string' ? { hint: inV2Words(hint) } : {}),
      },
    },
  }
}

/** Says which member is not known, and what version 2 calls it if version 1 has it. */
function nameMember(where: string, parent: string, member: string) {
  const field = parent === where || parent === 'undefined' ? member : `${parent}.${member}`
  const place = where === 'querystring' ? 'query' : where
  const inV2 = nameInV2(field) ?? nameInV2(member)
  const successor = inV2 === undefined ? '' : ` ${inV2}`
  return { message: `${field} is not a member of this ${place} in version 2.${successor}`, details: { field } }
}

/** The name comes from the request: `toString` is no row of the table. */
function nameInV2(name: string): string | undefined {
  return Object.hasOwn(namesInV2, name) ? namesInV2[name] : undefined
}

function inV2Words(hint: string): string {
  return hint.replaceAll('/v1/openapi.json', '/openapi.json').replaceAll('X-Dedup', 'OpenWOP-Dedup')
}
