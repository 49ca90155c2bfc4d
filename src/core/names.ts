import { checkText, checkVisible } from './check.ts'
import { ColophonError, invalid } from './errors.ts'
import { limits } from './limits.ts'

/** Tenants and memoryRefs: the two names under which everything lives. */

const tenantId = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

export function checkTenantId(value: unknown): asserts value is string {
  checkText('tenant', value)
  if (value.length > limits.tenantIdCharactersMax || !tenantId.test(value)) {
    throw invalid('tenant', 'must be letters, digits, dot, dash or underscore, starting with a letter or digit', {
      limit: 'tenantIdCharactersMax',
      max: limits.tenantIdCharactersMax,
    })
  }
}

const controlCharacter = /\p{Cc}/u

/**
 * Whether a ref can name a scope at all. Slashes, colons and `://` are ordinary characters; a `..` segment, a control
 * character or an oversize ref never resolves (CTI-1: no permissive lookup).
 */
export function isMemoryRef(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= limits.memoryRefCharactersMax &&
    !controlCharacter.test(value) &&
    value.isWellFormed() &&
    !(value.includes('..') && value.split(/[/\\]/).includes('..'))
  )
}

/** Reads of a malformed ref answer "nothing there"; a write to one must say why it cannot be kept. */
export function checkMemoryRef(value: unknown, field = 'memoryRef'): asserts value is string {
  if (isMemoryRef(value)) return
  throw invalid(
    field,
    `must be 1 to ${limits.memoryRefCharactersMax} characters, without control characters and without a ".." segment`,
    {
      limit: 'memoryRefCharactersMax',
      max: limits.memoryRefCharactersMax,
    },
  )
}

/** A ref that is written to. */
export function checkWrittenRef(value: unknown): asserts value is string {
  checkMemoryRef(value)
  checkVisible('memoryRef', value)
}

/** Scopes the host itself fills; a client that wrote there could pose as the host. */
const hostPrefixes = ['subject:', 'scratch:', 'conversation:', 'runs:'] as const

export function checkClientMemoryRef(value: string): void {
  const prefix = hostPrefixes.find((candidate) => value.startsWith(candidate))
  if (prefix !== undefined) {
    throw new ColophonError(
      'validation_error',
      `memoryRef must not start with ${prefix} because the host issues those refs.`,
      {
        details: { field: 'memoryRef' },
      },
    )
  }
}
