/** Versions in the documents of this wire. */
export const engineVersion = 1
export const eventLogSchemaVersion = 2
