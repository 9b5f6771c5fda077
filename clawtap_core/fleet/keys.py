"""The keys of a fleet in Redis."""

from __future__ import annotations

from dataclasses import dataclass

# About how many events of each machine are kept.
MOST_EVENTS = 20_000
MOST_CALLS = 1000
REPLIES_TTL = 120


@dataclass(frozen=True, slots=True)
class Keys:
    """The names of a fleet's keys; each is also the place that its values are sealed for."""

    fleet: str

    def _name(self, *rest: str) -> str:
        return ":".join(("clawtap", self.fleet, *rest))

    @property
    def everything(self) -> str:
        """Return the pattern of all keys of the fleet, for an ACL."""
        return self._name("*")

    @property
    def proof(self) -> str:
        """Return the key of a value that only the right fleet key opens."""
        return self._name("proof")

    @property
    def machines(self) -> str:
        """Return the hash of all machines that joined, also those that are away."""
        return self._name("machines")

    @property
    def devices(self) -> str:
        """Return the hash of the devices that may use the hubs."""
        return self._name("devices")

    @property
    def codes(self) -> str:
        """Return the hash of unused codes that let a device in."""
        return self._name("codes")

    @property
    def handover(self) -> str:
        """Return the hash of new fleet keys, each for the one machine that can open it."""
        return self._name("handover")

    @property
    def shared(self) -> tuple[str, ...]:
        """Return the keys that belong to no single machine, and last as long as there is one."""
        return (self.machines, self.proof, self.devices, self.codes)

    def check(self, name: str) -> str:
        """Return a key to try commands on."""
        return self._name("check", name)

    def machine(self, machine: str) -> str:
        """Return the hash that exists while a machine is online."""
        return self._name("machine", machine)

    def state(self, machine: str) -> str:
        """Return the hash of a machine's sessions, open prompts and queues."""
        return self._name("state", machine)

    def events(self, machine: str) -> str:
        """Return the stream of a machine's events."""
        return self._name("events", machine)

    def calls(self, machine: str) -> str:
        """Return the stream of the calls to a machine."""
        return self._name("calls", machine)

    def waiting(self, machine: str) -> str:
        """Return the hash of the messages that wait for a machine while it is away."""
        return self._name("waiting", machine)

    def live(self, machine: str, session: str, *, screens: bool = False) -> str:
        """Return the channel of a session's streamed text, or of its screens."""
        return self._name("live", machine, session, *(["screen"] if screens else []))

    def watched(self, channel: str) -> tuple[str, str, bool]:
        """Return the machine and the session of a channel, and whether it is that of screens."""
        machine, session, *rest = channel.removeprefix(self._name("live", "")).split(":")
        return machine, session, rest == ["screen"]

    def replies(self, caller: str) -> str:
        """Return the stream of answers to one process."""
        return self._name("replies", caller)

    def of_machine(self, machine: str) -> tuple[str, ...]:
        """Return all keys of one machine."""
        return (
            self.machine(machine),
            self.state(machine),
            self.events(machine),
            self.calls(machine),
            self.waiting(machine),
        )
