/** Audit. */
export const AuditPage = () => (
  <div className="page">
    <h1>Audit</h1>
  </div>
)
