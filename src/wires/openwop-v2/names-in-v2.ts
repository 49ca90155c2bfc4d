/** Members of version 1 that version 2 calls something else or does not have, and what to send instead. */
export const namesInV2: Readonly<Record<string, string>> = {
  lastSequence: 'Send afterSequence.',
  since: 'Send afterSequence.',
  recursionLimit: 'Send configurable.run.recursionLimit.',
  runTimeoutMs: 'Send configurable.run.runTimeoutMs.',
  maxLoopIterations: 'Send configurable.run.maxLoopIterations.',
  escalationThreshold: 'Send configurable.run.escalationThreshold.',
  subscriptionId: 'Send webhookId.',
  principal: 'Send subject.',
  'webhooks.tenantId': 'Omit it: the key determines the tenant.',
  signatureAlgorithm: 'Send signatureAlgorithms, a list.',
  value: 'Send resumeValue.',
}
