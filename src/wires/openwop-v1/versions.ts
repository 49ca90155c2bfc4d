/** Versions that documents of this wire carry. */
export const engineVersion = 1
export const eventLogSchemaVersion = 2
