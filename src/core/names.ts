import { checkText, checkVisible } from './check.ts'
import { ColophonError, invalid } from './errors.ts'
import { limits } from './limits.ts'

/** The rules for tenant ids and memoryRefs. Every stored row belongs to a tenant, and every entry to a memoryRef. */

const tenantId = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Refuses a tenant id that is not a plain name. */
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
 * Whether a text is a valid memoryRef. Slashes, colons and `://` are ordinary characters. A ref with a `..` segment, with a control
 * character or above the length limit never resolves (CTI-1: no permissive lookup).
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

/** For requests that must report a malformed ref. Reads do not: they answer as if the ref had no entries. */
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

/** The ref of a write: valid, and without invisible characters. */
export function checkWrittenRef(value: unknown): asserts value is string {
  checkMemoryRef(value)
  checkVisible('memoryRef', value)
}

/** The prefix of the refs that hold workspace files. */
export const workspacePrefix = 'workspace:'

/** The prefix of the refs that hold commitments. */
export const commitmentsPrefix = 'commitments:'

/** Whether a ref holds something that has routes of its own, and is no memory: files, commitments. */
export function isPrivateRef(memoryRef: string): boolean {
  return memoryRef.startsWith(workspacePrefix) || memoryRef.startsWith(commitmentsPrefix)
}

/** Prefixes of the refs that only the host writes to. A client that wrote there could pose as the host. */
const hostPrefixes = [
  'subject:',
  'scratch:',
  'conversation:',
  'runs:',
  'archive:',
  workspacePrefix,
  commitmentsPrefix,
] as const

/** Refuses a client's write to a ref of the host. */
export function refuseHostMemoryRef(value: string): void {
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
