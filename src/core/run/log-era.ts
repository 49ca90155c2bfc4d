/** The era of logs that were made before runs recorded it. */
export const firstLogEra = 2
/** The era of the log of every new run. */
export const logEra = 3
