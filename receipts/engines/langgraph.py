"""LangGraph: a graph of three nodes with the SQLite checkpointer; what it does to the world is a task of its own."""

from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import task
from langgraph.graph import END, START, StateGraph

from receipts import job as command
from receipts import site


class State(TypedDict, total=False):
    text: str
    answer: str


def work(job: command.Job) -> None:
    @task
    def deliver(text: str) -> str:
        return job.send(job.person, text)

    def write(state: State) -> State:
        return {"text": site.ask_model(job.text)}

    def send(state: State) -> State:
        return {"answer": deliver(state["text"]).result()}

    def conclude(state: State) -> State:
        site.ask_model("What came of it?")
        return {}

    graph = StateGraph(State)
    names = ("write", "send", "conclude")
    for name, node in zip(names, (write, send, conclude), strict=True):
        graph.add_node(name, node)
    for here, there in zip((START, *names), (*names, END), strict=True):
        graph.add_edge(here, there)
    with SqliteSaver.from_conn_string(str(job.folder / "checkpoints.db")) as saver:
        app = graph.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": job.workflow}}
        state = app.get_state(config)
        if state.created_at and not state.next:
            return  # finished earlier
        app.invoke(None if state.created_at else {}, config, durability="sync")


command.run(work)
