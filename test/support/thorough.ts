/**
 * Whether this is `npm run test:all`, which runs the long forms: every suite on every database, every command both ways,
 * more kills, more entries. `npm test` checks each behaviour once, within minutes.
 */
export const isThorough = process.env.COLOPHON_TEST_ALL !== undefined
