/** Time. */
export const TimePage = () => (
  <div className="page">
    <h1>Time</h1>
  </div>
)
