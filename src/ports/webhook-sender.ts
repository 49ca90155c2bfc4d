export type WebhookRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal?: AbortSignal
}

/** Why a delivery failed, in words that hold nothing of the receiver's address or answer. */
export type WebhookFailure = 'rejected_address' | 'dns' | 'timeout' | 'connection' | 'tls' | 'redirect' | 'status'

export type WebhookOutcome =
  | { readonly ok: true; readonly status: number }
  | { readonly ok: false; readonly reason: WebhookFailure; readonly status?: number }

/**
 * Carries one delivery to its receiver, once. A delivery that fails is an outcome, not an error; one whose `signal`
 * ends it early counts as timed out. Only headers that HTTP cannot carry are a bug and reject.
 */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<WebhookOutcome>
}
