/**
 * Where a fork begins when `fromSeq` is inside a step: after the step, or exactly at the event. Exactly means that a node that was under way
 * there is started again.
 */
export type ForkBoundary = 'step' | 'event'
