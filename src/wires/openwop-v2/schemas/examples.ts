/** Ids of version 2 for the examples of its schemas. */
export const boundRunId = 'default/run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11'
export const otherBoundRunId = 'default/run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d10'
export const runSegment = 'default~2Frun_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11'
export const subject = {
  issuer: 'urn:colophon:api-key',
  subjectId: 'key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12',
  tenant: 'default',
  lane: 'api-key',
  kind: 'user',
} as const
export const event = {
  eventId: 'evt_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11_3',
  runId: boundRunId,
  sequence: 3,
  type: 'node.completed',
  nodeId: 'recall',
  payload: { nodeId: 'recall' },
  timestamp: '2026-01-31T12:00:00.000Z',
  schemaVersion: 1,
  engineVersion: 1,
}
