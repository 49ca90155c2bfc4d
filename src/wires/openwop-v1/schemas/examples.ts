/** Values that several examples of this wire share. */
export const at = '2026-03-01T12:00:00.000Z'
export const runId = 'run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11'
export const otherRunId = 'run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d10'
export const event = {
  eventId: 'evt_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11_3',
  runId,
  sequence: 3,
  type: 'node.completed',
  nodeId: 'recall',
  payload: { nodeId: 'recall', attempt: 1 },
  timestamp: at,
  schemaVersion: 1,
  engineVersion: '1',
}
