/** Limits of supervisors and of channels, a part of `limits`. */
export const orchestrationLimits = {
  /** Turns of a supervisor and its dispatch node in one run. */
  loopIterationsMax: 200,
  /** Messages in one channel of a run. */
  channelMessagesMax: 500,
  messageIdCharactersMax: 256,
  /** One decision of a supervisor, as JSON. */
  decisionCharactersMax: 16_384,
} as const
