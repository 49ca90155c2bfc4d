import type { AddRequest } from '../../src/app/provenance/add.ts'
import { hashPayload } from '../../src/core/provenance/source-messages.ts'

type Source = NonNullable<AddRequest['source']>

/** A call to add about Ada, with the members that a test gives. */
export function addRequest(
  messages: AddRequest['messages'],
  { source, ...parts }: Partial<Omit<AddRequest, 'source'>> & { readonly source?: Partial<Source> | null } = {},
): AddRequest {
  const unknown = { service: 'crm', eventId: 'e1', observedAt: null, scope: null, evidence: null }
  return {
    subject: 'ada',
    agentId: null,
    infer: true,
    metadata: {},
    messages,
    payloadHash: hashPayload(messages),
    ...parts,
    source: source ? { ...unknown, ...source } : null,
  }
}

export function said(content: string): AddRequest['messages'] {
  return [{ role: 'user', content }]
}
