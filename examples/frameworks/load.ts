/** A package of this folder, for tests that are elsewhere. They state the few types that they need. */
export async function loadFramework<Module>(specifier: string): Promise<Module> {
  return (await import(specifier)) as Module
}
