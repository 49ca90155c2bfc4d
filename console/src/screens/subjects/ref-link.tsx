import { Link } from '@tanstack/react-router'

const subjectPrefix = 'subject:'

type RefLinkProps = { readonly memoryRef: string; readonly className?: string }

/** Leads to the page of a subject, or to the list of another ref. */
export function RefLink({ memoryRef, className }: RefLinkProps) {
  if (!memoryRef.startsWith(subjectPrefix))
    return (
      <Link to="/memories" search={{ ref: memoryRef }} className={className} title={memoryRef}>
        {memoryRef}
      </Link>
    )
  const subject = memoryRef.slice(subjectPrefix.length)
  return (
    <Link to="/subjects/$subject" params={{ subject }} className={className} title={memoryRef}>
      {subject}
    </Link>
  )
}
