// What can be wrong with entries: their shape, their secrets, their life, their order.
import { asArray, isObject, type JsonObject } from '../harness.ts'
import { inAnswersTo, inBodies, inEntries, inVariables, listPath, member, without } from './edits.ts'
import type { NoticedFault } from './noticed.ts'
import type { Fault } from './proxy.ts'

/** Remembers the secrets that the vault is given, and shows them in the export for diagnosis. */
function leakThroughBundle(): Fault {
  const secrets: string[] = []
  return {
    request(request) {
      if (request.method === 'PUT' && request.path.includes('/secrets/')) secrets.push(String(request.body?.value))
      return request
    },
    answer: (answer, { path }) =>
      path.endsWith('/debug-bundle')
        ? {
            ...answer,
            body: { ...member(answer.body), env: secrets.map((secret) => Buffer.from(secret).toString('hex')) },
          }
        : answer,
  }
}

/** Remembers the secrets that the vault is given, and shows them in the log of runs. */
function leakThroughLog(): Fault {
  const secrets: string[] = []
  return {
    request(request) {
      if (request.method === 'PUT' && request.path.includes('/secrets/')) secrets.push(String(request.body?.value))
      return request
    },
    answer: (answer, { path }) =>
      /^\/v1\/runs\/[^/]+\/events$/.test(path) ? { ...answer, body: { ...member(answer.body), secrets } } : answer,
  }
}

const dayMs = 86_400_000

const isDraft = (value: JsonObject): boolean => typeof value.content === 'string' && value.expiresAt !== undefined

/** Keeps entries a day longer than requested, and reports the requested instant. */
function outliveExpiry(): Fault {
  const promised = new Map<string, unknown>()
  const extend = inBodies(isDraft, (draft) => {
    const end = Date.parse(String(draft.expiresAt))
    if (!(end > Date.now())) return draft
    promised.set(String(draft.content), draft.expiresAt)
    return { ...draft, expiresAt: new Date(end + dayMs).toISOString() }
  })
  const pretend = inEntries((entry) => {
    const expiresAt = promised.get(String(entry.content))
    return expiresAt === undefined ? entry : { ...entry, expiresAt }
  })
  return { ...extend, ...pretend }
}

export const entryFaults: readonly NoticedFault[] = [
  {
    name: 'an internal column in entries',
    scenario: 'agentMemoryRoundTrip',
    reason: /keys that a MemoryEntry does not have/,
    fault: inEntries((entry) => ({ ...entry, tenantId: 'default' })),
  },
  {
    name: 'a secret is stored',
    scenario: 'agentMemoryRedactionContract',
    reason: /memoryReadback\.content/,
    fault: inEntries((entry) => ({
      ...entry,
      content: String(entry.content).replaceAll(/\[REDACTED:[^\]]+\]/g, 'hunter2'),
    })),
  },
  {
    name: 'the vault drops its secrets, so nothing is redacted',
    scenario: 'memory-put-redaction',
    reason: /in its content/,
    fault: inBodies(
      ({ scope, value }) => scope === 'tenant' && value !== undefined,
      (body) => ({ ...body, value: 'something-else-altogether' }),
    ),
  },
  {
    name: 'a secret is in the export for diagnosis, in another encoding',
    scenario: 'memory-put-redaction',
    reason: /debug-bundle holds the secret \(hex\)/,
    fault: leakThroughBundle(),
  },
  {
    name: 'a secret is in the log of a run',
    scenario: 'memory-put-redaction',
    reason: /^\/v1\/runs\/\{id\}\/events holds the secret/,
    fault: leakThroughLog(),
  },
  {
    name: 'a text without a secret is changed on its way out',
    scenario: 'memory-put-redaction',
    reason: /a text without the secret stays as it is/,
    fault: inEntries((entry) => ({ ...entry, content: String(entry.content).replace('no secret here', 'No secret.') })),
  },
  {
    name: 'the shorter of two secrets goes first',
    scenario: 'memory-put-redaction',
    reason: /the longest value goes first/,
    fault: inEntries((entry) => ({
      ...entry,
      content: String(entry.content).replace(
        /^one \[REDACTED:[^\]]+\] two (\[REDACTED:[^\]]+\])/,
        'one $1-and-its-end two $1',
      ),
    })),
  },
  {
    name: 'markers are lost from tags',
    scenario: 'memory-put-redaction',
    reason: /a tag with the secret/,
    fault: inEntries((entry) => ({
      ...entry,
      tags: asArray(entry.tags).filter((tag) => !String(tag).includes('REDACTED')),
    })),
  },
  {
    name: 'an expired entry is listed',
    scenario: 'agentMemoryTtlExpiry',
    reason: /does not hold the expired entry/,
    fault: inVariables((variables) => ({
      ...variables,
      ...(Array.isArray(variables.memoryList)
        ? { memoryList: [...variables.memoryList, { ...member(variables.memoryList[0]), id: variables.expiredId }] }
        : {}),
    })),
  },
  {
    name: 'the living entry is not listed either',
    scenario: 'agentMemoryTtlExpiry',
    reason: /holds the living entry/,
    fault: inVariables((variables) => ({ ...variables, ...('memoryList' in variables ? { memoryList: [] } : {}) })),
  },
  {
    name: 'an entry may be born expired',
    scenario: 'memory-ttl-expiry',
    reason: /a put that expires at/,
    fault: inBodies(isDraft, without('expiresAt')),
  },
  {
    name: 'entries outlive their end',
    scenario: 'memory-ttl-expiry',
    reason: /: after it expired|^after it expired/,
    fault: outliveExpiry(),
  },
  {
    name: 'entries that live for ever',
    scenario: 'agent-memory-cross-run-ttl',
    reason: /expiresAt of what the first run wrote/,
    fault: inBodies((value) => value.expiresAt !== undefined && 'memoryRef' in value, without('expiresAt')),
  },
  {
    name: 'what a child writes is as old as its parent',
    scenario: 'agent-memory-cross-run-ttl',
    reason: /createdAt is when the child wrote/,
    fault: inVariables((variables) =>
      isObject(variables.written) && 'living' in variables
        ? { ...variables, written: { ...variables.written, createdAt: '2026-01-01T00:00:00.000Z' } }
        : variables,
    ),
  },
  {
    name: 'a parent reads what its child wrote, although it has expired',
    scenario: 'agent-memory-cross-run-ttl',
    reason: /the parent, after the entry had expired/,
    fault: inVariables((variables) =>
      'expired' in variables ? { ...variables, expired: variables.living } : variables,
    ),
  },
  {
    name: 'the oldest entry first',
    scenario: 'memory-list-snapshot',
    reason: /what other callers see now/,
    fault: inAnswersTo(listPath, (body) =>
      Array.isArray(body.entries) ? { ...body, entries: body.entries.toReversed() } : body,
    ),
  },
]
