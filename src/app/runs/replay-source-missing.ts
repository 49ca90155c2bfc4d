/** A replay came to something that its source never did: it must not be done now. */
export class ReplaySourceMissing extends Error {
  override readonly name = 'ReplaySourceMissing'

  constructor() {
    super('The run that is replayed has no record of this.')
  }
}
