/**
 * A ref by age has two indexes: live versions are in one, ended ones in the other. So a version costs one entry in an index, and
 * history does not slow the list of what is live. A statement that reads both says so for each: without statistics the
 * planner would sort the whole ref.
 */
export const isLive = 'v.ended_position is null'
const isEnded = 'v.ended_position is not null'

/** Both halves of a page. Each is ordered and limited by itself; the statement around them orders and limits again. */
export const bothHalves = (half: (isOfHalf: string) => string) => `(${half(isLive)}) union all (${half(isEnded)})`
