/** Limits of workspace files. */
export const workspaceLimits = {
  workspaceFileBytesMax: 65_536,
  workspaceFilesMax: 128,
  /** Versions of a workspace file that can be read, the newest included. */
  workspaceVersionsMax: 20,
  workspacePathCharactersMax: 256,
  workspaceContentTypeCharactersMax: 128,
} as const
