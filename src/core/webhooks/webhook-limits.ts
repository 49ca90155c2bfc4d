/** Limits of webhooks. */
export const webhookLimits = {
  webhooksPerTenantMax: 100,
  webhookEventsMax: 100,
  webhookAttemptsMax: 8,
  /** Deliveries that one commit stores: with the events of a step, or by a fan-out, which makes the others from the log. */
  webhookDeliveriesPerCommitMax: 200,
  /** Consecutive failures after which deliveries to a receiver pause. */
  webhookFailuresMax: 4,
  webhookPauseMs: 5 * 60 * 1_000,
  webhookFailuresKept: 10_000,
  webhookSecretCharactersMin: 16,
  webhookSecretCharactersMax: 256,
  /** How long the secret before a rotation still signs. */
  webhookRotationOverlapMs: 24 * 60 * 60 * 1_000,
  /** How long a delivery that failed is kept, and how many of them are on a page. */
  deadLetterDays: 14,
  deadLetterPageMax: 100,
} as const
