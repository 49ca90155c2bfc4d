// Loaded before the tests: `npm test` checks the same random cases each time, so that it fails because of a change and not
// because of the day. `npm run test:all` makes new ones. A failing seed is printed, and is given back with COLOPHON_PROPERTY_SEED.
import fc from 'fast-check'
import { isThorough } from './thorough.ts'

const seed = process.env.COLOPHON_PROPERTY_SEED ?? (isThorough ? undefined : '1')
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) })
