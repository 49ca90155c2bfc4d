import { ColophonError, isColophonError } from '../../core/errors.ts'

/** What is wrong with a writer or a source has a code of its own on the wire. */
export function asSourceProblem<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!isColophonError(error, 'validation_error')) throw error
    throw new ColophonError('writer_invalid', error.message, { details: error.details })
  }
}
