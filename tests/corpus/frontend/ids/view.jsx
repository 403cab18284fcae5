export function Row(props) {
  return <li dangerouslySetInnerHTML={{ __html: props.text }} />; // expect: dom-html-injection UNCERTAIN
}

export function Fixed() {
  return <li dangerouslySetInnerHTML={{ __html: "<b>x</b>" }} />;
}
