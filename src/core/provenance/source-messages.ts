import { sha256 } from '../audit/digest.ts'
import { canonicalJson } from '../canonical.ts'
import { checkIdentifier, checkJson, checkText } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'

/** Checks of the messages of a source event, beyond their shape. */

/** The text of a message: not empty. */
export function checkMessageText(field: string, content: string): void {
  checkText(field, content)
  if (content.trim() === '') throw invalid(field, 'must not be empty')
}

/** The key of a claim, as a caller states it. */
export function checkClaimKey(field: string, value: unknown): asserts value is string {
  checkIdentifier(field, value, 'claimKeyCharactersMax', limits.claimKeyCharactersMax)
}

/** The hash of the messages in canonical form, as the client sent them, with unknown members: a client that kept them can prove it. */
export function hashPayload(messages: unknown): string {
  checkJson('messages', messages, 'messagesBytesMax', limits.messagesBytesMax)
  try {
    return `sha256:${sha256(canonicalJson(messages))}`
  } catch {
    // For example, a number that is too large.
    throw invalid('messages', 'must have a canonical form (RFC 8785)')
  }
}
