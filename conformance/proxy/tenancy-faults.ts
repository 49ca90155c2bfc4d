// What can be wrong between tenants.
import type { Target } from '../harness.ts'
import { inAnswersTo, inVariables, listPath, mixTenants } from './edits.ts'
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
      reason: /does not see the entry|both tenants see/,
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
      name: 'the answer to a stranger repeats the ref',
      scenario: 'memory-tenant-isolation',
      reason: /echoes what was asked for/,
      fault: inAnswersTo(listPath, (body, { path }) => (Array.isArray(body.entries) ? { ...body, path } : body)),
    },
    {
      name: 'the journal of a run is open to a stranger',
      scenario: 'memory-tenant-isolation',
      reason: /memory through a run of the other tenant/,
      fault: mixTenants(/\/reads$/, keys),
    },
  ]
}
