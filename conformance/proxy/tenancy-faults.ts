// What can be wrong between tenants.
import type { Target } from '../harness.ts'
import { inAnswersTo, inEntries, inVariables, listPath, mixTenants } from './edits.ts'
import type { NoticedFault } from './noticed.ts'

/** Faults that need to know the keys. */
export const tenancyFaults = ({ key, keyB }: Target): readonly NoticedFault[] => {
  const keys = { from: String(keyB), to: key }
  return [
    {
      name: 'a foreign ref is read',
      scenario: 'agentMemoryCrossTenantIsolation',
      reason: /crossTenantProbe/,
      fault: inVariables((variables) => ({ ...variables, crossTenantProbe: variables.ownerProbe })),
    },
    {
      name: 'the owner sees nothing either',
      scenario: 'agentMemoryCrossTenantIsolation',
      reason: /the owner sees its own memory/,
      fault: inVariables((variables) => ({ ...variables, ownerProbe: [] })),
    },
    {
      name: 'two tenants are one',
      scenario: 'agentMemoryCrossTenantIsolation-two-tenants',
      reason: /the second tenant does not see the entry of the first/,
      fault: mixTenants(/^\/v1\/runs/, keys),
    },
    {
      name: 'runs of one tenant are read by another',
      scenario: 'memory-attribution-tenant-scoped-two-tenants',
      reason: /the other tenant reads/,
      fault: mixTenants(/^\/v1\/runs/, keys),
    },
    {
      name: 'two tenants share their refs',
      scenario: 'memory-tenant-isolation',
      reason: /the ref for the first tenant/,
      fault: mixTenants(listPath, keys),
    },
    {
      name: 'the response to another tenant repeats the ref',
      scenario: 'memory-tenant-isolation',
      reason: /echoes what was asked for/,
      fault: inAnswersTo(listPath, (body, { path }) => (Array.isArray(body.entries) ? { ...body, path } : body)),
    },
    {
      name: 'two tenants get the same ids',
      scenario: 'memory-tenant-isolation',
      reason: /two tenants get different entry ids/,
      fault: inEntries((entry) => ({ ...entry, id: 'mem_1' })),
    },
    {
      name: 'the plain list of a ref is open to another tenant',
      scenario: 'memory-tenant-isolation',
      reason: /GET \/v1\/memory\/\{ref\} of a foreign ref/,
      fault: mixTenants(/^\/v1\/memory\//, keys),
    },
    {
      name: 'another tenant forks a run',
      scenario: 'memory-tenant-isolation',
      reason: /a fork of a run of the other tenant/,
      fault: mixTenants(/:fork$/, keys),
    },
    {
      name: 'a run reads the ref of another tenant',
      scenario: 'memory-tenant-isolation',
      reason: /a foreign ref in a run/,
      fault: inVariables((variables) => ('withOwn' in variables ? { ...variables, seen: [variables.own] } : variables)),
    },
    {
      name: 'the journal of a run is open to another tenant',
      scenario: 'memory-tenant-isolation',
      reason: /memory through a run of the other tenant/,
      fault: mixTenants(/\/reads$/, keys),
    },
  ]
}
