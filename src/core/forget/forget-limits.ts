/** The limits of forgetting, part of `limits`. */
export const forgetLimits = {
  forgetAttemptsMax: 20,
  /** Rows that a forget reads in one page. */
  forgetPageMax: 500,
  /** Versions that one statement examines to find those behind a fence. They are read from all over the file: 2,000 took 46 ms. */
  forgetScanRowsMax: 1_000,
  /** Runs whose values and events one statement searches for a name. */
  forgetScanRunsMax: 100,
  /** Entries erased in one commit. Their terms are scattered over the search index: 50 entries of 40 words took 40 ms to write on a fast disk. */
  forgetBatchEntriesMax: 25,
  /** How often a forget starts over when its check finds rows that are left. */
  forgetRoundsMax: 3,
  forgetsPageMax: 100,
  /** Entries that mention a subject and are not about it: this many are listed, all are counted. */
  forgetMentionsShownMax: 100,
  /** Mentions that may be erased with the subject: each has its own fence, which every read checks until the forget has ended. */
  forgetMentionsErasedMax: 1_000,
  /** Refs of which a search for mentions remembers whether they name the subject. */
  forgetRefsRememberedMax: 10_000,
  /** How long the request that erases one memory waits for the erasure to complete; the memory is hidden at once. */
  forgetWaitMs: 10_000,
} as const
